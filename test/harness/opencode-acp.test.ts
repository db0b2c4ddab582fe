import { acp } from 'weakincentives/acp';
import { testAcpAgent } from '../support/harness-runs/acp-agent-cases.ts';
import { installedFile } from '../support/harness-runs/installed.ts';
import { opencodeEnvironment } from '../support/harness-runs/opencode-environment.ts';

const command = installedFile('opencode', 'opencode-linux-x64/bin/opencode');

testAcpAgent({
  title: 'OpenCode',
  name: 'opencode',
  isInstalled: command !== undefined,
  runsCallsTogether: true,
  adapter: async ({ url }, { path }) =>
    acp({
      command: command ?? '',
      args: ['acp'],
      env: opencodeEnvironment(url, path, { '*': 'deny', 'wink*': 'allow' }),
    }),
  ownTools: [],
});
