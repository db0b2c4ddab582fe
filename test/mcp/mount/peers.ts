import { fileURLToPath } from 'node:url';
import type { McpMountedServer } from 'weakincentives/mcp';

/** The program of a server of the tier. */
export const programOf = (name: string): string =>
  fileURLToPath(
    new URL(`../../peers/mcp/node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url),
  );

/** Such a server as a child process. */
export function childOf(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): McpMountedServer {
  return { command: process.execPath, args: [programOf(name), ...args], env };
}
