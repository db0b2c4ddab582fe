import { mkdir, writeFile } from 'node:fs/promises';
import { installedFile } from '../support/harness-runs/installed.ts';
import { testServeClient } from '../support/harness-runs/serve-client-cases.ts';

testServeClient({
  title: 'Claude Code',
  name: 'claude',
  command: installedFile('claude', '@anthropic-ai/claude-agent-sdk-linux-x64/claude'),
  // It does so with tools that only read.
  runsCallsTogether: false,
  configure: async ({ home, providerUrl, server, serverEnv, workspace }) => {
    const servers = { wink: { ...server, env: serverEnv, alwaysLoad: true } };
    const permissions = { allow: ['mcp__wink__*'], deny: ['Edit', 'Write', 'NotebookEdit', 'Bash'] };
    // What it asks a person when it is started in the folder for the first time.
    const trust = { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['wink'] };
    await mkdir(`${workspace}/.claude`);
    await writeFile(`${workspace}/.mcp.json`, JSON.stringify({ mcpServers: servers }));
    await writeFile(`${workspace}/.claude/settings.json`, JSON.stringify({ permissions }));
    await writeFile(`${home}/.claude.json`, JSON.stringify({ projects: { [workspace]: trust } }));
    return {
      args: ['--print', 'Change the files.'],
      env: {
        ANTHROPIC_BASE_URL: providerUrl,
        ANTHROPIC_API_KEY: 'no-key',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    };
  },
});
