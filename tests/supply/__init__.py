"""Supply chain: locks, their bill of materials and the licences of all packages, for `bin/lock`.

Read `locks.py` first (a lock as packages), then `check.py` (what is wrong with the locks, without a network),
`licences.py` (licence of each package, and the page) and `sbom.py` (CycloneDX).
"""
