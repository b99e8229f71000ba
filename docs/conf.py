"""How the documentation is built: `make docs`."""

from medveil import __version__

project = "medveil"
author = "The medveil developers"
project_copyright = "The medveil developers, Apache-2.0"
version = release = __version__

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"medveil {__version__}"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_show_sphinx = False
html_copy_source = False
