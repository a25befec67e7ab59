"""The witness over HTTP (C2SP tlog-witness): its server, and how the house sends its checkpoint."""
