"""The same training across hospitals: what leaves a site, under which plan, and how it is added up."""
