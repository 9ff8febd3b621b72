"""Sentences with secrets of no one's, and ordinary ones of engineers, for the rule that tells them apart."""

from __future__ import annotations

BASE62 = "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"
LOWHEX = "3f9a1c7e5b2d8046" * 4
SECRETS = [
    f"CI uses ghp_{BASE62} for releases",
    f"gho_{BASE62}",
    f"ghs_{BASE62}",
    f"github_pat_11ABCDEFG0{BASE62}_{BASE62}",
    "GitLab: glpat-x7Yz_9AbCdEfGhIjKlMn",
    "Slack bot xoxb-123456789012-1234567890123-AbCdEfGhIjKl",
    "xoxp-1234567890-abcdefghij",
    "xapp-1-A0123456789-0123456789012-abcdef",
    "post to https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "the bot is MTE5ODc2NTQzMjEwOTg3NjU0Mw.GabcDe.aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789ab",
    "https://discord.com/api/webhooks/123456789012345678/aBcDeFgHiJkLmNoPqRsTuVwXyZ",
    "mfa.aBcDeFgHiJkLmNoPqRsTuVw",
    "AWS key AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE works until noon",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    f"{BASE62}wJalr",
    "maps uses AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "ya29.a0AfH6SMBx1y2z3A4B5C6D7E8F",
    "GOCSPX-aBcDeFgHiJkLmNoPqRsT",
    "OpenAI sk-proj-aB3dE5gH7jK9mN1pQ3rS5tU7",
    f"sk-{BASE62}",
    "sk-ant-api03-aB3dE5gH7jK9mN1pQ3rS",
    "Stripe sk_live_aB3dE5gH7jK9mN1pQ3rS5tU7",
    "rk_test_aB3dE5gH7jK9mN",
    f"npm_{BASE62}",
    f"hf_{BASE62}",
    f"gsk_{BASE62}",
    "SG.aB3dE5gH7jK9mN1pQ3rS5t.aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5dE7fG9h",
    "123456789:AAaB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA",
    "pypi-AgEIcHlwaS5vcmcCJGFiY2RlZmdo",
    "Brave: BSAaB3dE5gH7jK9mN1pQ3rS5tU7vW",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "-----BEGIN RSA PRIVATE KEY----- MIIEow",
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----",
    "postgres://admin:hunter2@db.example/app",
    "redis://:s3cret@cache:6379",
    "https://user:pa55@host/repo.git",
    "https://api.example/x?api_key=a1b2c3d4e5",
    "GET /v1?x=1&access_token=a1b2c3d4e5f6",
    "curl -H 'Authorization: Bearer aB3dE5gH7jK9mN1pQ3'",
    "Authorization: Basic YWRtaW46aHVudGVyMg==",
    "password: hunter2",
    "Password: hunter2",
    "the password is hunter2",
    "PASSWORD=hunter2",
    "DB_PASSWORD=hunter2",
    "db password = 'hunter2'",
    "passwd: hunter2",
    "pwd=hunter2",
    "passphrase: correct-horse-7",
    "passcode: 48151623",
    '"password": "hunter2"',
    "password=correcthorse",
    "password for the staging box: hunter2",
    "the password for CI is s3cr3t!",
    "the password of the printer is now hunter2",
    "secret: s3cr3t-value",
    "client_secret=a1b2c3d4",
    "client secret: a1b2c3d4",
    "CLIENT_SECRET: a1b2c3d4",
    "token: a1b2c3d4e5",
    "TOKEN=a1b2c3d4e5",
    "auth-key: a1b2c3d4",
    "api key: a1b2c3d4",
    "apikey=a1b2c3d4",
    "API_KEY => a1b2c3d4",
    "the api key is a1b2c3d4",
    "access key -> a1b2c3d4",
    "AccountKey=aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA==",
    "private key: a1b2c3d4e5",
    "mysql --password hunter2 -u root",
    "deploy --api-key a1b2c3d4e5",
    "PIN: 4711",
    "the pin is 471147",
    "DB_PASS=hunter2",
    "pass: hunter2",
    f"the key {BASE62}",
    f"use {LOWHEX}3f9a",
    "password := hunter2",
    "`token`: `a1b2c3d4e5`",
    "the passwords are hunter2 and s3cr3t",
    "password:hunter2",
    "token\n= a1b2c3d4e5",
    "password\tis\thunter2",
]
ORDINARY = """The token is refreshed daily
The token is `GITHUB_TOKEN`
The token is read from $GITHUB_TOKEN
Set TOKEN=$GITHUB_TOKEN before the release
export DISCORD_TOKEN=<your token>
The token is in vault
Tokens: 4096 at most
max_tokens=4096
The token budget is 4096
token: str
api_key: string
password: required
token=None
token = get_token()
token = settings.github.token
token: ${{ secrets.GITHUB_TOKEN }}
secret: kv/ci/deploy
The secret is DEPLOY_KEY, set in the repository's settings
The password is stored in 1Password
The password is read from ~/.pgpass
Passwords are hashed with argon2id
The passwords are hashed, never encrypted
password reset mails come from noreply@example.org
Password hashing is slow by design
Password: ask Anna
credentials: see docs/operations.md
Credentials are in ~/.aws/credentials
credentials: ~/.aws/credentials
API keys are rotated every 90 days
API key: see the vault of the team
The API key is optional
The API key is sent as X-Api-Key
private key: /etc/ssl/private/server.pem
The private key is mounted at /run/secrets/key.pem
use --password-stdin with docker login
pass --token TOKEN to the script
gh auth login --with-token < token.txt
--password-file=/run/secrets/pw
The pin is GPIO17
pin: requests==2.31.0
tokens: 40_000
token: 128k
Pin versions: numpy 2.2 breaks the build
First pass: tokenise
All tests pass: 1200 of 1200
The tests pass on 3.12: use that
Second pass is the linker's
compass: north is up
spin: 1000 rounds
tokenizer: cl100k_base
secretary: Anna
The CSRF token is per session
One token is about 4 characters
token.py holds the lexer
The lexer is in src/compiler/frontend/lexer/token_stream_reader.py
Commit 3f9a1c7e5b2d80463f9a1c7e5b2d80463f9a1c7e broke the build
md5 d41d8cd98f00b204e9800998ecf8427e is the empty file
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
image@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
integrity sha512-aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5==
host key SHA256:aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5aB3dE5g
The tenant is 123e4567-e89b-12d3-a456-426614174000
The tenant is 123E4567-E89B-12D3-A456-426614174000
/Volumes/Data/123e4567-e89b-12d3-a456-426614174000/file
The build needs Python 3.11.7 and numpy>=2.2,<3
Run `pytest -n 0 -p no:xdist --randomly-seed=1234` to repeat an order
Build: cmake -DCMAKE_BUILD_TYPE=RelWithDebInfo -DENABLE_SANITIZERS=ON ..
cargo test --workspace --all-features -- --nocapture
Use RUSTFLAGS="-C target-cpu=native"
AbstractSingletonProxyFactoryBeanConfigurationProvider is legacy
OAuth2AuthenticationProviderFactoryImplementation is tested in src/test
test_OAuth2AuthenticationProviderFactory_returns_the_same_instance
src/main/java/com/example/AuthenticationControllerV2Test
src/main/java/com/example/HTTP2ConnectionPoolV3Settings.java
test_every_locked_package_has_one_version_on_each_python_and_its_hashes
npm_config_registry_url overrides the registry
npm-run-all-parallel-scripts-plugin is gone
hf_transformers_cache_directory points to /data
pk_user_account_history_identifier is the primary key
sk-some-very-long-kebab-case-name is a branch
https://example.org/docs?sort_key=created_at&page=2
https://github.com/example/project/blob/main/docs/README.md#getting-started
git clone ssh://git@example.org:2222/team/repo.git
postgres://localhost:5432/app is the default
DATABASE_URL is postgres://$USER:$PASSWORD@localhost/app
http://localhost:8080/path/@scope/package
npm install @scope/package@1.2.3
Bearer authentication is used by all endpoints
Bearer tokens expire after 15 minutes
Use Basic authentication in staging only
Authorization: Bearer <token>
JWTs are signed with RS256
Images are built with `docker build --secret id=npmrc,src=$HOME/.npmrc .`
The secret is mounted as a file
Secret scanning is on: pushes are blocked
secrets: inherit
The access key is called deploy-bot
Port 8443 is TLS, 8080 is plain
The staging database is db-staging-02.eu-central-1.internal
Deploys go to arn:aws:iam::123456789012:role/deploy-production
Logs are in s3://example-logs-eu-central-1/production/2026/11/25/
sccache breaks -Werror
We decided on SQLite: no server to run
Line length is 120
The user's time zone is Europe/Berlin
- [Build quirks](build.md) — sccache breaks -Werror
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl is the deploy key
ULID 01ARZ3NDEKTSV4RRFFQ69G5FAV names an order
__pycache__ and node_modules/.cache are ignored
ENABLE_EXPERIMENTAL_WEBASSEMBLY_THREADS_SUPPORT is on
=================================================
Outputs are parted by --------------------------------------------------------------------
Keep the key in the keychain
The signing key is rotated in January
The encryption key is derived with HKDF-SHA256
The password is at least 12 characters long
passphrase: optional
Password is `None` for guests
token expires_in is 3600
The access token is 3600 seconds valid
private key: ed25519 is required
Tokens: 4096 at most, 512 for the system prompt
The secret is 1Password's, ask there
Basic authentication is off; use OAuth2
The API key is per-user and read-only
password = getpass.getpass()
The fixture's password is "correct horse"
Passwords have at least 12 characters
Reviewers are @anna and @ben; anna@example.org signs releases""".splitlines()
