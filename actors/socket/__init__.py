"""SocketActor: the doors through which scripts and operators reach the actors."""
