"""Cluster: windows on further processes, hosts, which Ray starts on this machine or on others; the rest on the head."""
