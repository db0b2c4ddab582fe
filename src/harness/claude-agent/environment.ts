import { env } from 'node:process';

/** What the program needs of this process: where programs are, how to write texts and times, its credentials, and the way to its provider. */
const passedOn: readonly string[] = [
  ...['PATH', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'SYSTEMROOT', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP'],
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'NODE_EXTRA_CA_CERTS',
  ],
];

/** Nothing is sent but requests to the model, and nothing is updated. */
const quiet: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_AGENT_SDK_CLIENT_APP: 'weakincentives',
};

/**
 * The whole environment of Claude Code.
 *
 * @param home a private folder, so that neither settings nor sessions of the user are there.
 * @param named variables of the caller, which take precedence.
 */
export function claudeEnvironment(
  home: string,
  named: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const own = passedOn.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(own), HOME: home, CLAUDE_CONFIG_DIR: home, ...quiet, ...named };
}
