// The reference of the command: its help pages, as the golden files of their tests have them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const suffix = '-80.txt';

const environment = `## Environment variables

| variable | does |
| --- | --- |
| \`WINK_JOURNAL\` | the journal of commands without \`--journal\` |
| \`WINK_BLOBS\` | where its long rows are |
| \`WINK_RECORDS\`, \`WINK_RECORDS_DAYS\` | the folder of records, and how many days they stay (30; 0: forever) |
| \`WINK_SERVE_TOKEN\` | the token of \`wink serve --http\` |
| \`WINK_DEBUG\` | stacks of errors, as with \`--verbose\` |
| \`WINK_RUN_ID\` | set for the command of \`--on-suspend\`: the name of the run |
| \`NO_COLOR\`, \`FORCE_COLOR\`, \`COLUMNS\` | whether output is colored, and its width |
| \`XDG_STATE_HOME\`, \`XDG_CACHE_HOME\` | where journal, records and locks are (\`~/.local/state\`), and translated modules (\`~/.cache\`) |
| \`TRACEPARENT\`, \`OTEL_*\` | telemetry, with \`--otel\` |
| \`OPENAI_API_KEY\`, \`ANTHROPIC_API_KEY\`, \`ANTHROPIC_AUTH_TOKEN\` | keys of models |

An option wins over its variable. No variable chooses a model, a limit, or whether something is written. A relative path is relative to the working folder.

## Completion

\`\`\`sh
source <(wink complete bash)     # in ~/.bashrc
source <(wink complete zsh)      # in ~/.zshrc
wink complete fish | source      # in config.fish
\`\`\`
`;

/** @param {string} root the project @returns {string} Markdown */
export function commandReference(root) {
  const folder = join(root, 'test/fixtures/golden/help');
  const pages = readdirSync(folder)
    .filter((file) => file.endsWith(suffix))
    .sort()
    .map((file) => ({
      title: `wink ${file.slice('wink'.length, -suffix.length).replace('-', '')}`.trimEnd(),
      text: readFileSync(join(folder, file), 'utf8').trimEnd(),
    }));
  return `${[
    '# The command',
    '<!-- Written by npm run reference -- --write, from the help pages of the command -->',
    'What `wink help COMMAND` prints, for every command. [What `wink run` prints and hides](../../docs/spec/command.md).',
    environment.trimEnd(),
    ...pages.map(({ title, text }) => `## ${title}\n\n\`\`\`text\n${text}\n\`\`\``),
  ].join('\n\n')}\n`;
}
