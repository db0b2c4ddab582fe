import assert from 'node:assert/strict';
import { promptTemplate } from 'weakincentives';
import { openMcpSection, openMcpServer } from 'weakincentives/mcp';

// Of the packages for MCP there is the one for clients: it is in the bundle, and the others are named when they are needed.
const server = { command: process.execPath, args: ['--eval', ''] };
await assert.rejects(openMcpSection({ title: 'Files', key: 'files', server }), { name: 'McpError' });
const prompt = promptTemplate({ ns: 'consumers', key: 'mcp', sections: [] }).bind();
const transport = { kind: 'stdio' };
await assert.rejects(
  openMcpServer(prompt, { name: 'files', version: '1', transport }),
  /npm install @modelcontextprotocol\/server/,
);
