import { mkdir, writeFile } from 'node:fs/promises';
import { acp } from 'weakincentives/acp';
import { testAcpAgent } from '../support/harness-runs/acp-agent-cases.ts';
import { installedFile } from '../support/harness-runs/installed.ts';

const bridge = installedFile('codex', '@agentclientprotocol/codex-acp/dist/index.js');

/** Its own tools are off, as the guide shows it. */
const codexConfig = {
  web_search: 'disabled',
  features: {
    shell_tool: false,
    unified_exec: false,
    multi_agent: false,
    goals: false,
    view_image: false,
  },
};

testAcpAgent({
  title: 'Codex',
  name: 'codex',
  isInstalled: bridge !== undefined,
  runsCallsTogether: false,
  adapter: async ({ url }, { path }) => {
    const home = `${path}/codex`;
    await mkdir(home);
    await writeFile(
      `${home}/config.toml`,
      `model = "scripted"
model_provider = "fake"
[model_providers.fake]
name = "Fake"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
`,
    );
    return acp({
      command: process.execPath,
      args: [bridge ?? ''],
      env: {
        HOME: path,
        CODEX_HOME: home,
        CODEX_CONFIG: JSON.stringify(codexConfig),
        INITIAL_AGENT_MODE: 'read-only',
        FAKE_KEY: 'no-key',
      },
    });
  },
  ownTools: ['list_mcp_resources', 'list_mcp_resource_templates', 'read_mcp_resource', 'request_user_input'],
});
