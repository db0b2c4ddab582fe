import { writeFile } from 'node:fs/promises';
import { installedFile } from '../support/harness-runs/installed.ts';
import { opencodeEnvironment } from '../support/harness-runs/opencode-environment.ts';
import { testServeClient } from '../support/harness-runs/serve-client-cases.ts';

testServeClient({
  title: 'OpenCode',
  name: 'opencode',
  command: installedFile('opencode', 'opencode-linux-x64/bin/opencode'),
  runsCallsTogether: true,
  configure: async ({ home, providerUrl, server, serverEnv, workspace }) => {
    const wink = { type: 'local', command: [server.command, ...server.args], environment: serverEnv };
    const permission = { '*': 'deny', 'wink_*': 'allow' };
    await writeFile(`${workspace}/opencode.json`, JSON.stringify({ mcp: { wink }, permission }));
    return {
      args: ['run', 'Change the files.'],
      env: opencodeEnvironment(providerUrl, home, {}),
    };
  },
});
