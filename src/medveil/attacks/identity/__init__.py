"""Recognising people: do two radiographs show the same person?"""
