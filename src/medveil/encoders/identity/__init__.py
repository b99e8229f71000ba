"""Identity networks: do two radiographs show the same person?"""
