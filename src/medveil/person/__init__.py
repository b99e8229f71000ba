"""Who is protected: a person, their keyed stand-ins, and the search for what is known of them."""
