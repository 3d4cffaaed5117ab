"""The page that describes the API, from files that the site serves itself."""

from ninja.openapi.docs import Swagger


class ApiDocs(Swagger):
    """Swagger UI in a page of our own, which has a language and needs no weaker policy."""

    template = "leaderboard/api_docs.html"

    def __init__(self) -> None:
        # The badge of Swagger's validator would send our address to another site.
        super().__init__({"validatorUrl": None, "defaultModelsExpandDepth": 0})
