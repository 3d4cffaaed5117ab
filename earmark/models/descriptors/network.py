"""The token classifier: a backbone and a head over each sub-word.

Three methods say what is trained and stored: ``lora`` low-rank updates of the
backbone's linear layers and the head (Hu et al., LoRA, ICLR 2022), ``head``
the head alone, ``full`` every weight. A network is built on a backbone's folder, or for the
weights that are stored.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from earmark.models.descriptors.backbone import Backbone, BackboneMissing
from earmark.models.descriptors.subwords import (
    LONGEST,
    Subwords,
    TokeniserFailed,
    subwords_in,
    with_leading_spaces,
)
from earmark.models.loaded_encoder import equal_length_batches, hidden_progress_bars

_BATCH = 16  # pieces of one length that are labelled together

Method = Literal["lora", "head", "full"]
METHODS: tuple[Method, ...] = get_args(Method)
# Models that read ids with a mask and give a vector for each; any other is refused.
FAMILIES = ("bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra")
# What decides the weights and what is computed of them. All else would be of training, or is
# nothing that a file of others may choose: the number of labels alone can fill the memory.
_CHOICES = {
    *("vocab_size", "max_position_embeddings", "type_vocab_size", "pad_token_id"),
    *("hidden_size", "dim", "embedding_size", "intermediate_size", "hidden_dim"),
    *("num_hidden_layers", "n_layers", "num_attention_heads", "n_heads"),
    *("hidden_act", "activation", "layer_norm_eps", "position_embedding_type"),
    "model_type",
}
_FIX = "Give a BERT or RoBERTa type of model saved by transformers with save_pretrained."


@dataclass(frozen=True, slots=True)
class LabellerShape:
    """Sizes and method that fix the trained part.

    ``heads`` are the label counts by name; ``rank`` and ``alpha`` are of the
    updates (``lora``); ``hidden`` is the width of the head's inner layer, 0 for
    a head of one linear layer.
    """

    heads: Mapping[str, int]
    rank: int = 8
    alpha: float = 16.0
    dropout: float = 0.1
    method: Method = "lora"
    hidden: int = 0


class LowRank(nn.Module):
    """A linear layer plus ``alpha / rank * B A``, with B zero at first."""

    def __init__(self, base: nn.Linear, shape: LabellerShape) -> None:
        super().__init__()
        self.base = base
        self.scale = shape.alpha / shape.rank
        self.dropout = nn.Dropout(shape.dropout)
        self.down = nn.Parameter(torch.empty(shape.rank, base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, shape.rank))
        nn.init.kaiming_uniform_(self.down, a=5**0.5)

    def forward(self, inputs: Tensor) -> Tensor:
        """Apply the layer with its update."""
        update = nn.functional.linear(self.dropout(inputs), self.down)
        outputs = self.base(inputs) + self.scale * nn.functional.linear(update, self.up)
        return cast("Tensor", outputs)

    def merged(self) -> nn.Linear:
        """Add the update to the layer itself, which then costs nothing more."""
        with torch.no_grad():
            self.base.weight += self.scale * (self.up @ self.down)
        return self.base


class DescriptorNetwork(nn.Module):
    """Logits of every sub-word, for each named head.

    ``encoder`` is a transformers model without pooler, ``subwords`` what cuts
    words for it.
    """

    def __init__(self, encoder: Any, subwords: Subwords, shape: LabellerShape) -> None:
        super().__init__()
        self.encoder = encoder
        self.subwords = subwords
        self.frozen = shape.method == "head"
        self.encoder.requires_grad_(shape.method == "full")
        if shape.method == "lora":
            _add_updates(self.encoder, shape)
        width = int(self.encoder.config.hidden_size)
        self.dropout = nn.Dropout(shape.dropout)
        self.heads = nn.ModuleDict(
            {name: _head(width, count, shape) for name, count in shape.heads.items()}
        )

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> dict[str, Tensor]:
        """Logits by head, shape (captions, sub-words, labels)."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
            states = self.encoder(input_ids=ids, attention_mask=mask, return_dict=True)
        hidden = self.dropout(states.last_hidden_state)
        return {name: head(hidden) for name, head in self.heads.items()}

    @property
    def known_ids(self) -> int:
        """Ids of sub-words are below this."""
        return int(self.encoder.get_input_embeddings().num_embeddings)

    def logits(self, pieces: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], Tensor]]:
        """Places of pieces of one length, and logits, shape (pieces, sub-words, labels).

        Batches always have the same number of pieces, the last one repeated where some are
        missing, so that none depends on the others.
        """
        device = next(self.parameters()).device
        for places in equal_length_batches([len(ids) for ids in pieces], _BATCH):
            block = [pieces[place] for place in places]
            block += block[-1:] * (_BATCH - len(block))
            with torch.inference_mode():
                logits = self(torch.tensor(block, device=device))["labels"]
            yield places.tolist(), logits[: len(places)]

    def train(self, mode: bool = True) -> "DescriptorNetwork":
        """Go into training; a frozen backbone stays as it is in use, without dropout."""
        super().train(mode)
        if self.frozen:
            self.encoder.eval()
        return self

    def trained(self) -> dict[str, Tensor]:
        """Weights that are trained and stored, by name."""
        return {name: value for name, value in self.named_parameters() if value.requires_grad}

    def merge(self) -> None:
        """Put the updates into the layers; for use only, as nothing is left to train."""
        _merge(self.encoder)


def head_name(name: str) -> str:
    """Module name of an inventory's head; encoded, as torch allows few characters."""
    return f"set-{name.encode().hex()}"


def _head(width: int, count: int, shape: LabellerShape) -> nn.Module:
    if not shape.hidden:
        return nn.Linear(width, count)
    return nn.Sequential(
        nn.Linear(width, shape.hidden),
        nn.GELU(),
        nn.Dropout(shape.dropout),
        nn.Linear(shape.hidden, count),
    )


def _add_updates(module: nn.Module, shape: LabellerShape) -> None:
    """Wrap every linear layer of the encoder in a low-rank update."""
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear):
            setattr(module, name, LowRank(child, shape))
        else:
            _add_updates(child, shape)


def _merge(module: nn.Module) -> None:
    for name, child in list(module.named_children()):
        if isinstance(child, LowRank):
            setattr(module, name, child.merged())
        else:
            _merge(child)


def network_on_backbone(backbone: Backbone, shape: LabellerShape) -> DescriptorNetwork:
    """Make a network on a backbone's weights; raise ``BackboneMissing``."""
    if backbone.packaged:
        return DescriptorNetwork(
            _packaged_encoder(backbone.folder), subwords_in(backbone.folder), shape
        )
    try:
        encoder = _pretrained_encoder(backbone.folder)
        text = with_leading_spaces(_tokeniser_text(backbone.folder))
        return DescriptorNetwork(encoder, _subwords(encoder.config, text), shape)
    except (OSError, ValueError, KeyError, RuntimeError, AttributeError, ImportError) as error:
        if "allocate" in str(error) or "out of memory" in str(error):
            raise
        reason = " ".join(str(error).split())[:200]
        raise BackboneMissing(backbone.name, reason, _FIX) from error


def network_for_weights(
    architecture: Mapping[str, Any],
    tokeniser: str,
    shape: LabellerShape,
    stored: Mapping[str, Tensor],
) -> DescriptorNetwork:
    """Make the network that stored weights fill; they are not filled in yet.

    ``architecture`` is a transformers configuration as a dict, ``tokeniser`` the text of
    a ``tokenizer.json``. It may come from anywhere: what it asks for is built without
    memory first and must have the sizes of what is stored. Raises ValueError, KeyError
    or TypeError.
    """
    try:
        config = _config(architecture)
        configured = _sizes(config, len(stored))
    except Exception as error:  # whatever transformers finds in values that make no sense
        raise ValueError(" ".join(str(error).split())[:200]) from error
    prefix = "encoder."
    stored_sizes = {
        name.removeprefix(prefix): value.shape
        for name, value in stored.items()
        if name.startswith(prefix)
    }
    if configured != stored_sizes:
        raise ValueError("its weights are not of the sizes that config.json tells")
    return DescriptorNetwork(_empty_encoder(config), _subwords(config, tokeniser), shape)


def _sizes(config: Any, most: int) -> dict[str, torch.Size]:
    """Sizes of an encoder's weights, without taking memory for them."""
    if config.num_hidden_layers > most:
        raise ValueError(f"{config.num_hidden_layers} layers are more than are stored")
    with torch.device("meta"):
        return {name: value.shape for name, value in _empty_encoder(config).named_parameters()}


def architecture_choices(architecture: Mapping[str, Any]) -> dict[str, Any]:
    """Part of a configuration that decides an encoder's weights and what it computes."""
    return {
        key: value
        for key, value in architecture.items()
        if key in _CHOICES and isinstance(value, int | float | str | None)
    }


def _config(architecture: Mapping[str, Any]) -> Any:
    """Read a configuration of a known kind of model; what is no choice of it is left out."""
    from transformers import AutoConfig

    kind = str(architecture["model_type"])
    if kind not in FAMILIES:
        raise ValueError(f"{kind!r} is none of the models known: {', '.join(FAMILIES)}")
    settings = architecture_choices(architecture)
    return AutoConfig.for_model(
        kind, **{key: settings[key] for key in settings if key != "model_type"}
    )


def _empty_encoder(config: Any) -> Any:
    from transformers import AutoModel

    model: Any = AutoModel
    return _without_pooler(model.from_config(config))


def architecture_of(network: DescriptorNetwork) -> dict[str, Any]:
    """Configuration of a network's encoder, as JSON can hold it."""
    text: str = network.encoder.config.to_json_string(use_diff=False)
    settings: dict[str, Any] = json.loads(text)
    # Keys with an underscore name a folder of the machine where it was trained.
    return {key: value for key, value in settings.items() if not key.startswith("_")}


def _packaged_encoder(folder: Path) -> Any:
    """Read the packaged encoder without its pooler, which nothing here uses."""
    from transformers import BertConfig, BertModel

    config: Any = BertConfig.from_pretrained(str(folder), local_files_only=True)
    encoder: Any = BertModel(config, add_pooling_layer=False)
    stored = load_file(folder / "model.safetensors")
    encoder.load_state_dict(
        {name: value for name, value in stored.items() if not name.startswith("pooler.")},
        strict=False,
    )
    return encoder


def _pretrained_encoder(folder: Path) -> Any:
    from transformers import AutoModel

    model: Any = AutoModel
    kind = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("model_type")
    if kind not in FAMILIES:
        raise ValueError(f"{kind!r} is none of the models known: {', '.join(FAMILIES)}")
    try:
        with hidden_progress_bars():
            read = model.from_pretrained(
                str(folder), local_files_only=True, use_safetensors=True, dtype=torch.float32
            )
    except SafetensorError as error:
        raise ValueError(f"its weights are damaged ({error})") from error
    return _without_pooler(read)


def _without_pooler(encoder: Any) -> Any:
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None
    return encoder


def _tokeniser_text(folder: Path) -> str:
    """Text of a backbone's ``tokenizer.json``, made from its vocabulary where it has none."""
    stored = folder / "tokenizer.json"
    if stored.is_file():
        return stored.read_text(encoding="utf-8")
    from transformers import AutoTokenizer

    tokeniser: Any = AutoTokenizer
    converted = tokeniser.from_pretrained(str(folder), local_files_only=True)
    if not getattr(converted, "is_fast", False):
        raise ValueError("there is no tokenizer.json, and none can be made from its vocabulary")
    text: str = converted.backend_tokenizer.to_str()
    return text


def _subwords(config: Any, text: str) -> Subwords:
    """Read sub-words, in pieces that the encoder has positions for; raises ValueError."""
    padding = int(getattr(config, "pad_token_id", None) or 0)
    positions = int(getattr(config, "max_position_embeddings", LONGEST + 2))
    if config.model_type != "bert":
        positions -= padding + 1  # RoBERTa's positions begin behind that of padding
    try:
        subwords = Subwords(text, padding=padding)
    except TokeniserFailed as error:
        raise ValueError(str(error)) from error
    subwords.longest = min(LONGEST, positions - subwords.marks)
    if subwords.longest < 1:
        raise ValueError(f"its {positions} places leave none for words")
    return subwords
