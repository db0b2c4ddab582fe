import { mkdir, writeFile } from 'node:fs/promises';
import { installedFile } from '../support/harness-runs/installed.ts';
import { testServeClient } from '../support/harness-runs/serve-client-cases.ts';

testServeClient({
  title: 'Codex',
  name: 'codex',
  command: installedFile('codex', '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex'),
  // As supports_parallel_tool_calls says.
  runsCallsTogether: true,
  configure: async ({ home, providerUrl, server, serverEnv, workspace }) => {
    const codexHome = `${home}/codex`;
    await mkdir(codexHome);
    const variables = Object.entries(serverEnv).map(
      ([name, value]) => `${name} = ${JSON.stringify(value)}\n`,
    );
    await writeFile(
      `${codexHome}/config.toml`,
      `model = "scripted"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "read-only"
[model_providers.fake]
name = "Fake"
base_url = "${providerUrl}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[mcp_servers.wink]
command = ${JSON.stringify(server.command)}
args = ${JSON.stringify(server.args)}
required = true
supports_parallel_tool_calls = true
default_tools_approval_mode = "approve"
[mcp_servers.wink.env]
${variables.join('')}`,
    );
    return {
      args: ['exec', '--json', '--skip-git-repo-check', '-C', workspace, 'Change the files.'],
      env: { CODEX_HOME: codexHome, FAKE_KEY: 'no-key' },
    };
  },
});
