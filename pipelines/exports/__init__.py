"""Detections in the shapes that other tools take: one file a shape, and one that reads the tables for all of them."""
