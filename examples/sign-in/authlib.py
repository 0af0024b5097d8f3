# pip install flask authlib requests
import os

from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, redirect, session, url_for

env = os.environ
web = Flask(__name__)
web.secret_key = env["SESSION_SECRET"]
personhood = OAuth(web).register(
    "personhood",
    client_id=env["CLIENT_ID"],
    client_secret=env["CLIENT_SECRET"],
    server_metadata_url=f"{env['ISSUER']}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid", "code_challenge_method": "S256"},
)


@web.get("/")
def home():
    person = session.get("person")
    return f"You are {person}" if person else '<a href="/login">Sign in</a>'


@web.get("/login")
def login():
    return personhood.authorize_redirect(url_for("callback", _external=True))


@web.get("/callback")
def callback():
    tokens = personhood.authorize_access_token()
    session.clear()
    session["person"] = tokens["userinfo"]["sub"]
    return redirect("/")


@web.errorhandler(OAuthError)
def refuse(error):
    print(error)
    return 'You are not signed in. <a href="/login">Try again</a>', 401


web.run(port=int(env["PORT"]))
