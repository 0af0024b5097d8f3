import json, os, re, uuid
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from Crypto.Hash import keccak
from flask import Flask, request

env = os.environ
# The folder with the built page.
web = Flask(__name__, static_folder="dist", static_url_path="")


def hash_signal(signal):
    """Returns the signal hash. A text of 0x and hex digits is bytes; any other text is UTF-8."""
    digits = signal[2:]
    is_hex = re.fullmatch("0x[0-9a-fA-F]*", signal)
    data = bytes.fromhex("0" * (len(digits) % 2) + digits) if is_hex else signal.encode()
    return "0x00" + keccak.new(digest_bits=256, data=data).hexdigest()[:62]


@web.get("/")
def page():
    return web.send_static_file("index.html")


@web.post("/verify")
def verify():
    result = request.get_json()
    names = ("proof", "merkle_root", "nullifier_hash", "verification_level")
    # Use your own action and signal, never the browser's. Then a proof for another action or signal is invalid.
    proof = {
        **{name: result[name] for name in names if name in result},
        "action": env["ACTION"],
        "signal_hash": hash_signal(env.get("SIGNAL", "")),
    }
    headers = {"content-type": "application/json", "idempotency-key": str(uuid.uuid4())}
    url = f"{env['BASE_URL']}/api/v2/verify/{env['APP_ID']}"
    try:
        answer = urlopen(Request(url, json.dumps(proof).encode(), headers))
    except HTTPError as refusal:
        answer = refusal
    # On success, store nullifier_hash with what the person did: it is the person's number for this action.
    return json.load(answer), answer.status


web.run(port=int(env.get("PORT", "3005")))
