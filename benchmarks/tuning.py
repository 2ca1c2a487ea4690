"""Tunes a sentence encoder into a cross-encoder: for `fit_cross_encoder.py`."""

import random
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch
from freezing import ROWS, Batch, Frozen, padded
from safetensors.torch import save_file
from transformers import AttentionInterface, AutoConfig, AutoModel, AutoTokenizer
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, sdpa_mask

from pipelines.cross_encoders import HEAD, tells_kinds, tokens_of
from signals.cross_encoder import Triple

BATCH = 16
DECAY = 0.01
WARM_UP = 0.1
SEED = 7
ATTENTION = "plain"
Tokens = tuple[list[int], list[int]]


def attend(
    module: Any,  # noqa: ARG001 -- as transformers calls it
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    scaling: float,
    **_: Any,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention as plain products of matrices, in the precision that it is given.

    On a processor the fused kernel of torch takes several times as long on the way back, and the library's own plain
    one works in single precision.

    Args:
        module: The layer; not used.
        query: Shape (rows, heads, tokens, size).
        key: As `query`.
        value: As `query`.
        attention_mask: True where a token may be looked at; shape (rows, 1, tokens, tokens).
        scaling: Factor of the products.

    Returns:
        What each token takes in, shape (rows, tokens, heads, size), and the weights.
    """
    products = (query * scaling) @ key.transpose(-1, -2)
    if attention_mask is not None:
        products = products.masked_fill(~attention_mask, -1e4)
    with torch.autocast("cpu", enabled=False):
        weights = torch.softmax(products, -1)
    return (weights @ value).transpose(1, 2).contiguous(), weights


AttentionInterface.register(ATTENTION, attend)
ALL_MASK_ATTENTION_FUNCTIONS.register(ATTENTION, sdpa_mask)


class CrossEncoder(torch.nn.Module):
    """An encoder with a linear head over its first state and the mean of all.

    Args:
        encoder: A BERT-like model of transformers.
        outputs: How many questions it answers.
    """

    def __init__(self, encoder: Any, outputs: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = torch.nn.Dropout(0.1)
        self.head = torch.nn.Linear(2 * encoder.config.hidden_size, outputs)

    def forward(self, **tokens: torch.Tensor) -> torch.Tensor:
        """Log-odds, shape (rows, outputs)."""
        states, mask = self.encoder(**tokens).last_hidden_state, tokens["attention_mask"][..., None]
        mean = (states * mask).sum(1) / mask.sum(1)
        return self.head(self.dropout(torch.cat([states[:, 0], mean], dim=-1)))

    def save(self, folder: Path) -> None:
        """Write the encoder as transformers does, and the head beside it."""
        self.encoder.save_pretrained(folder)
        save_file({"weight": self.head.weight.detach(), "bias": self.head.bias.detach()}, folder / HEAD)


class Tuner:
    """A base model and its tokenizer.

    Args:
        base: Folder of a BERT-like model of transformers.
        outputs: How many questions the cross-encoder answers.
        epochs: How often it is shown every row.
        rate: Greatest learning rate of the encoder; its head, which starts from nothing, learns ten times as fast.
        frozen: How many of its lower layers keep their weights, and are run once for each row: a large base is tuned in
            half of the time so.
    """

    def __init__(self, base: Path, outputs: int, epochs: int = 4, rate: float = 8e-5, frozen: int = 0) -> None:
        self.base, self.outputs, self.epochs, self.rate, self.frozen = base, outputs, epochs, rate, frozen
        self.tokenizer: Any = AutoTokenizer.from_pretrained(base, local_files_only=True)
        self._kinds = tells_kinds(AutoConfig.from_pretrained(base, local_files_only=True))

    def read(self, triples: Sequence[Triple]) -> list[Tokens]:
        """Tokens of each triple."""
        return [tokens_of(self.tokenizer, triple, kinds=self._kinds) for triple in triples]

    def tune(self, read: Sequence[Tokens], truth: np.ndarray, what: str) -> CrossEncoder:
        """Train a model.

        Args:
            read: Tokens of each row.
            truth: 1, 0, or NaN where it is not known; shape (rows, outputs).
            what: What to call it on the screen.
        """
        torch.manual_seed(SEED)
        # Dropping weights of attention would take half of the time on a processor; states are dropped all the same.
        encoder = AutoModel.from_pretrained(self.base, local_files_only=True, attention_probs_dropout_prob=0.0)
        # Models that bring attention of their own keep it: they would not understand the masks of another.
        if encoder._supports_attention_backend:
            encoder.set_attn_implementation(ATTENTION)
        model = CrossEncoder(encoder, self.outputs)
        # The words keep their vectors: there is too little to learn new ones from.
        encoder.embeddings.requires_grad_(requires_grad=False)
        upper: Any = nullcontext()
        batch = _picking(read, _padded)
        if self.frozen:
            lower = Frozen(encoder, self.frozen)
            with _quick():
                held = lower.states(((rows, batch(rows)) for rows in _alike(range(len(read)), read, ROWS)), len(read))
            upper, batch = lower.upper(), _picking(held, padded)
        with upper:
            self._tune(model, batch, read, torch.tensor(truth, dtype=torch.float32), what)
        return model.eval()

    def _tune(
        self,
        model: CrossEncoder,
        batch: Callable[[list[int]], Batch],
        read: Sequence[Tokens],
        wanted: torch.Tensor,
        what: str,
    ) -> None:
        order = random.Random(SEED)
        body = [p for p in model.encoder.parameters() if p.requires_grad]
        groups = [{"params": body, "lr": self.rate}, {"params": model.head.parameters(), "lr": 10 * self.rate}]
        optimizer = torch.optim.AdamW(groups, weight_decay=DECAY, fused=True)
        steps = self.epochs * -(-len(read) // BATCH)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda s: min(1.0, s / (WARM_UP * steps)) * max(0.0, (steps - s) / steps)
        )
        for epoch in range(self.epochs):
            started, losses = time.perf_counter(), []
            model.train()
            for rows in _batches(read, order):
                with _quick():
                    odds = model(**batch(rows)).float()
                known = ~torch.isnan(wanted[rows])
                loss = torch.nn.functional.binary_cross_entropy_with_logits(odds[known], wanted[rows][known])
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
            print(f"{what}, epoch {epoch + 1} of {self.epochs}: loss {np.mean(losses):.3f}, "
                  f"{time.perf_counter() - started:.0f} s", flush=True)  # fmt: skip

    def odds(self, model: CrossEncoder, read: Sequence[Tokens]) -> np.ndarray:
        """Log-odds of each row, shape (rows, outputs)."""
        out = np.zeros((len(read), self.outputs))
        with torch.inference_mode():
            for rows in _alike(range(len(read)), read, 64):
                out[rows] = model(**_padded([read[n] for n in rows])).numpy()
        return out


def _batches(read: Sequence[Tokens], order: random.Random) -> list[list[int]]:
    """Rows in a random order, those of a batch about equally long."""
    rows = list(range(len(read)))
    order.shuffle(rows)
    batches = []
    for start in range(0, len(rows), BATCH * 16):
        batches += _alike(rows[start : start + BATCH * 16], read, BATCH)
    order.shuffle(batches)
    return batches


def _alike(rows: Sequence[int], read: Sequence[Tokens], size: int) -> list[list[int]]:
    """Rows in batches of about equally long ones."""
    alike = sorted(rows, key=lambda n: len(read[n][0]))
    return [alike[n : n + size] for n in range(0, len(alike), size)]


def _picking(of: Sequence[Any], pad: Callable[[list[Any]], Batch]) -> Callable[[list[int]], Batch]:
    """What makes a batch of the rows of these numbers."""
    return lambda numbers: pad([of[n] for n in numbers])


def _padded(rows: Sequence[Tokens]) -> Batch:
    shape = (len(rows), max(len(ids) for ids, _ in rows))
    ids, kinds, mask = (torch.zeros(shape, dtype=torch.long) for _ in range(3))
    for n, (of, kind) in enumerate(rows):
        ids[n, : len(of)] = torch.tensor(of)
        kinds[n, : len(of)] = torch.tensor(kind)
        mask[n, : len(of)] = 1
    return {"input_ids": ids, "token_type_ids": kinds, "attention_mask": mask}


def _quick() -> Any:
    """Multiply in bfloat16 where the processor does, which takes half the time; elsewhere it would take longer."""
    facts = Path("/proc/cpuinfo")
    able = facts.is_file() and "avx512_bf16" in facts.read_text(encoding="utf-8")
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=able)
