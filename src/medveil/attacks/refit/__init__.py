"""The refit attack: does a defense of the shared space remove the link between image and report, or only hide it?"""
