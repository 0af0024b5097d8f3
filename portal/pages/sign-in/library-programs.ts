import authJs from '../../../examples/sign-in/auth.mjs?raw'
import authlib from '../../../examples/sign-in/authlib.py?raw'
import expressOpenid from '../../../examples/sign-in/express-openid-connect.mjs?raw'
import fastify from '../../../examples/sign-in/fastify.mjs?raw'
import apache from '../../../examples/sign-in/mod-auth-openidc.conf?raw'
import nextAuth from '../../../examples/sign-in/next-auth.mjs?raw'
import oidcClientTs from '../../../examples/sign-in/oidc-client-ts.html?raw'
import openidClient from '../../../examples/sign-in/openid-client.mjs?raw'
import passport from '../../../examples/sign-in/passport.mjs?raw'
import spring from '../../../examples/sign-in/spring.yaml?raw'

/** A website, or a server configuration, that signs people in. */
export type LibraryProgram = {
  /** The heading in docs/sign-in.md, such as `Express with openid-client`. */
  title: string
  /** The first redirect URI that docs/sign-in.md names for the program. */
  redirectUri: string
  file: string
  text: string
  /** True if the program runs in the browser, so that the app must be a public client. */
  isPublic: boolean
  /** The shell commands that install the packages, set the program's variables and start it. */
  commands: string
}

type Client = { issuer: string; clientId: string }

/** Returns the programs of docs/sign-in.md. Tests run most of them unchanged. */
export function libraryPrograms(client: Client): LibraryProgram[] {
  return [...nodePrograms(client), singlePage(client), ...otherPrograms(client)]
}

function nodePrograms(client: Client): LibraryProgram[] {
  const inNode = { file: 'website.mjs', redirectUri: CALLBACK, isPublic: false }
  const nodeCommands = (packages: string) => `npm install ${packages}
${variablesForWebsite(client)}
node website.mjs`
  return [
    {
      ...inNode,
      title: 'Express with openid-client',
      text: openidClient,
      commands: nodeCommands('express express-session openid-client'),
    },
    {
      ...inNode,
      title: 'Express with Passport',
      text: passport,
      commands: nodeCommands('express express-session openid-client passport'),
    },
    {
      ...inNode,
      title: 'express-openid-connect',
      text: expressOpenid,
      commands: nodeCommands('express express-openid-connect'),
    },
    {
      ...inNode,
      title: 'Fastify with @fastify/oauth2',
      text: fastify,
      commands: nodeCommands('fastify @fastify/cookie @fastify/oauth2'),
    },
    {
      ...inNode,
      title: 'Auth.js',
      redirectUri: 'http://localhost:4000/auth/callback/personhood',
      text: authJs,
      commands: nodeCommands('express @auth/express'),
    },
    {
      ...inNode,
      title: 'next-auth 4',
      redirectUri: 'http://localhost:4000/api/auth/callback/personhood',
      text: nextAuth,
      commands: nodeCommands('express next-auth@4'),
    },
  ]
}

/** The page reads its settings from a file, because a browser has no environment variables. */
function singlePage({ issuer, clientId }: Client): LibraryProgram {
  return {
    title: 'A single page with oidc-client-ts',
    redirectUri: 'http://localhost:4000/',
    file: 'index.html',
    text: oidcClientTs,
    isPublic: true,
    commands: `npm install oidc-client-ts@3.5.0
cp node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js .
echo '${JSON.stringify({ issuer, clientId })}' > settings.json
python3 -m http.server 4000`,
  }
}

function otherPrograms(client: Client): LibraryProgram[] {
  return [
    {
      title: 'Flask with Authlib',
      redirectUri: CALLBACK,
      file: 'website.py',
      text: authlib,
      isPublic: false,
      commands: `python3 -m venv .venv && . .venv/bin/activate
pip install flask authlib requests
${variablesForWebsite(client)}
python3 website.py`,
    },
    {
      title: 'Apache with mod_auth_openidc',
      redirectUri: CALLBACK,
      file: 'website.conf',
      text: apache,
      isPublic: false,
      commands: apacheCommands(client),
    },
    {
      title: 'Spring Security',
      redirectUri: 'http://localhost:4000/login/oauth2/code/personhood',
      file: 'application.yaml',
      text: spring,
      isPublic: false,
      commands: `export ISSUER=${client.issuer} PORT=4000 \\
  CLIENT_ID=${client.clientId} CLIENT_SECRET=…
./mvnw spring-boot:run`,
    },
  ]
}

const CALLBACK = 'http://localhost:4000/callback'

function variablesForWebsite({ issuer, clientId }: Client): string {
  return `export ISSUER=${issuer} PORT=4000 \\
  CLIENT_ID=${clientId} CLIENT_SECRET=… \\
  SESSION_SECRET=$(openssl rand -hex 32)`
}

/** Apache reads variables from its file `envvars`. UPSTREAM is the website behind Apache. */
function apacheCommands(client: Client): string {
  return `sudo apt-get install apache2 libapache2-mod-auth-openidc
sudo a2enmod auth_openidc proxy proxy_http
echo 'Listen 4000' | cat - website.conf | sudo tee /etc/apache2/conf-enabled/website.conf
sudo tee -a /etc/apache2/envvars <<END
${variablesForWebsite(client)} UPSTREAM=http://localhost:8080/
END
sudo systemctl restart apache2`
}
