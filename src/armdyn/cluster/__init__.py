"""Work on the machines of a Dask cluster: checked clients, and tasks whose results keep order."""

from armdyn.cluster._cluster import PACKAGE, WHY, Cluster, Future, checked_client

__all__ = ["PACKAGE", "WHY", "Cluster", "Future", "checked_client"]
