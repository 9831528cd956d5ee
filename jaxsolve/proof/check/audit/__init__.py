"""Audits of accepted certificates. The checker's acceptance depends on nothing in this folder."""
