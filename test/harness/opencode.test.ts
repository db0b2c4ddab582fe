import { acp } from 'weakincentives/acp';
import { testAcpAgent } from '../support/harness-runs/acp-agent-cases.ts';
import { installedFile } from '../support/harness-runs/installed.ts';

const command = installedFile('opencode', 'opencode-linux-x64/bin/opencode');

testAcpAgent({
  title: 'OpenCode',
  name: 'opencode',
  isInstalled: command !== undefined,
  runsCallsTogether: true,
  adapter: async ({ url }, { path }) => {
    const config = {
      model: 'fake/scripted',
      small_model: 'fake/scripted',
      provider: {
        fake: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Fake',
          options: { baseURL: `${url}/v1`, apiKey: 'no-key' },
          models: { scripted: { name: 'Scripted', tool_call: true } },
        },
      },
      permission: { '*': 'deny', 'wink*': 'allow' },
      autoupdate: false,
      share: 'disabled',
    };
    return acp({
      command: command ?? '',
      args: ['acp'],
      env: {
        HOME: path,
        XDG_CONFIG_HOME: `${path}/config`,
        XDG_DATA_HOME: `${path}/data`,
        XDG_CACHE_HOME: `${path}/cache`,
        XDG_STATE_HOME: `${path}/state`,
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_AUTOUPDATER: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      },
    });
  },
  ownTools: [],
});
