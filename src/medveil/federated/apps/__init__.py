"""The federation on Flower: all that touches Flower is in here, and nothing of it reports to anybody.

`site_app` is what a site runs (a ClientApp) and `coordinator_app` what the coordinator runs (a ServerApp). They speak
over Flower's Fleet API: `link` is the coordinator's end of it and `connection` a site's; `simulated` puts Flower's
simulation backend on Ray between them. A site runs the code that is installed there, never what a coordinator sends;
and the coordinator offers the Fleet API alone, for whoever reached Flower's Control API could start programs.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os

from medveil.errors import SettingsError

os.environ["FLWR_TELEMETRY_ENABLED"] = "0"  # for processes started from here, too
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

if importlib.util.find_spec("flwr") is None:
    raise SettingsError('Flower is needed and not installed; run `pip install "medveil[federated]"`')

# Flower reads it once, and may have been imported before
importlib.import_module("flwr.supercore.telemetry").FLWR_TELEMETRY_ENABLED = "0"  # type: ignore[attr-defined]
importlib.import_module("flwr.supercore.logger")  # sets a level of its own
for _name in ("flwr", "flwr-telemetry", "httpx", "uvicorn", "uvicorn.error", "uvicorn.access"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)  # what they log of a failure may quote the data
