// A server of the SDK that is started as a child process. Its first argument says how it behaves: `serve`, `modern` (also 2026-07-28), `hang` (answers nothing and stays), or `exit` (ends at once).
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [mode = 'serve', port = ''] = process.argv.slice(2);

if (mode === 'exit') {
  process.stderr.write('cannot read \u001b[31mits\u001b[0m settings\nunfinished');
  process.exitCode = 5;
} else if (mode === 'hang') {
  // Keeps its group busy: a process of it holds a connection to the test until it is killed.
  process.on('SIGTERM', () => undefined);
  if (port !== '') hold(port);
  setInterval(() => undefined, 60_000);
} else await serve();

/** @param {string} value */
const text = (value) => ({ content: [{ type: /** @type {const} */ ('text'), text: value }] });

/**
 * Starts a process that connects to the test, in the same group or in a session of its own.
 * @param {string} to
 */
function hold(to, isDetached = false) {
  const program = `require('node:net').connect(${Number(to)}, '127.0.0.1'); process.on('SIGTERM', () => undefined);`;
  spawn(process.execPath, ['-e', program], { stdio: 'ignore', detached: isDetached });
}

async function serve() {
  const server = new McpServer({ name: 'child', version: '1.0.0' });
  server.registerTool('env', { inputSchema: z.object({}) }, () => text(JSON.stringify(process.env)));
  server.registerTool('cwd', { inputSchema: z.object({}) }, () => text(process.cwd()));
  server.registerTool('arguments', { inputSchema: z.object({}) }, () => text(JSON.stringify(process.argv.slice(3))));
  server.registerTool('pid', { inputSchema: z.object({}) }, () => text(String(process.pid)));
  server.registerTool('exit', { inputSchema: z.object({ code: z.number() }) }, ({ code }) => process.exit(code));
  server.registerTool('kill', { inputSchema: z.object({}) }, async () => {
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  });
  server.registerTool('large', { inputSchema: z.object({ bytes: z.number() }) }, ({ bytes }) => text('x'.repeat(bytes)));
  server.registerTool('noise', { inputSchema: z.object({ lines: z.number() }) }, ({ lines }) => {
    process.stdout.write('this is no message\n{"jsonrpc":"1.0"}\n');
    for (let line = 1; line <= lines; line += 1) process.stderr.write(`line ${line}\u0007\n`);
    process.stderr.write(`${'y'.repeat(5000)}\n`);
    return text('noisy');
  });
  server.registerTool('complain', { inputSchema: z.object({ words: z.string() }) }, ({ words }) => {
    process.stderr.write(`${words}\n`);
    return text('complained');
  });
  const holding = z.object({ port: z.number(), isDetached: z.boolean().optional() });
  server.registerTool('hold', { inputSchema: holding }, async ({ port: to, isDetached }) => {
    hold(String(to), isDetached);
    if (isDetached !== true) await new Promise((resolve) => connect(to, '127.0.0.1', () => resolve(undefined)).unref());
    return text('held');
  });
  if (mode === 'modern') serveStdio(() => server);
  else await server.connect(new StdioServerTransport());
}
