"""Discord's published contract against real traffic between the bot and the playground.

Read `description.py` first (the contract and its checks), then `traffic.py` (a run that uses every endpoint and event),
then `test_traffic.py`. `description.json` is a cut of two npm packages, named in `LICENSES.txt`; `renew.py` is its only
writer, with `extract.mjs`, and needs npm and Node.js.
"""
