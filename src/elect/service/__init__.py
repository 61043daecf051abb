"""The web page and the HTTP API behind it; needs the extra ``elect[serve]``.

app = create_app(ServiceLimits(candidates=50))      an ASGI application
elect serve --port 8000                      the same from the command line
"""

from elect.service.app import create_app
from elect.service.limits import ServiceLimits, limits_of

__all__ = ["ServiceLimits", "create_app", "limits_of"]
