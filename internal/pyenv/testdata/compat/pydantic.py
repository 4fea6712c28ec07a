"""pydantic: a model checked by its Rust core"""
# packages: pydantic==2.9.2 pydantic-core==2.23.4 annotated-types==0.7.0 typing-extensions==4.12.2
from pydantic import BaseModel, ValidationError


class Item(BaseModel):
    name: str
    count: int


assert Item.model_validate_json('{"name": "a", "count": "3"}').count == 3
try:
    Item(name="a", count="many")
except ValidationError:
    pass
else:
    raise AssertionError("accepted")
