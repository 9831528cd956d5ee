"""Hex for the checker: rules, zones, connections and inferior cells."""
