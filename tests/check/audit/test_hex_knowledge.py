"""Audits of Hex certificates with fields for which the claimant's moves are not listed."""

from __future__ import annotations

import json

import pytest

from jaxsolve.games.hex import Hex
from jaxsolve.proof.check import check
from jaxsolve.proof.check.__main__ import main
from jaxsolve.proof.check.audit.flatten import flatten
from jaxsolve.proof.check.audit.replay import replay
from jaxsolve.proof.check.audit.strategy import NotFollowed
from jaxsolve.search import Claim
from support import mutations
from support.proofs.audited import read
from support.search import Setting, run
