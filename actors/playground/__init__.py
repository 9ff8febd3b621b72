"""A small Discord on loopback: REST v10, gateway, interactions, attachments, and a web page to talk in."""
