import { withDefaults } from '../../../core/error/index.ts';
import { systemClock } from '../../../core/session/index.ts';
import { silentLogger } from '../../../core/tool/index.ts';
import { httpTransport } from '../client/http-transport.ts';
import { isChildServer } from '../client/mounted-server.ts';
import type { ServerTransport } from '../client/server-transport.ts';
import { stdioTransport } from '../client/stdio-transport.ts';
import { loadClientSdk, type McpClientSdk } from '../wire/sdk.ts';
import { mountSection } from './mount.ts';
import {
  checkMountOptions,
  type McpSection,
  type McpSectionOptions,
  mountLimitChecks,
} from './mount-options.ts';

const of = 'openMcpSection()';

/**
 * Connects to a server of the Model Context Protocol and mounts its tools as a section: ordinary tools, with the input schemas of the server, under the policies of the section and of
 * the prompt. The server is started with a clean environment, or reached over HTTP; it is connected to again when it has ended. Nothing that it does can be taken back.
 *
 * ```ts no-run
 * import { promptTemplate } from 'weakincentives';
 * import { openMcpSection } from 'weakincentives/mcp';
 *
 * await using files = await openMcpSection({
 *   title: 'Files',
 *   key: 'files',
 *   server: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/srv/data'] },
 *   include: ['read_text_file', 'list_directory'],
 *   effects: { read_text_file: 'read', list_directory: 'read' },
 * });
 * export const template = promptTemplate({ ns: 'docs', key: 'files', sections: [files] });
 * ```
 *
 * @throws {MissingPeerError} when `@modelcontextprotocol/client` is not installed.
 * @throws {PromptValidationError} for an option that cannot be used, a name in the options that the server does not have, and two tools with one name.
 * @throws {McpError} when the server cannot be reached, refuses the credentials, has no tools or too many, or other tools than are pinned.
 * @see docs/spec/mcp.md §5
 */
export async function openMcpSection(options: McpSectionOptions): Promise<McpSection> {
  checkMountOptions(of, options);
  const limits = withDefaults(mountLimitChecks, options.limits);
  const sdk = await loadClientSdk();
  return mountSection(sdk, options, limits, () => transportTo(sdk, options));
}

function transportTo(
  sdk: McpClientSdk,
  { clock = systemClock, key, logger = silentLogger, server }: McpSectionOptions,
): ServerTransport {
  return isChildServer(server)
    ? stdioTransport(sdk, { server, name: key, clock, logger })
    : httpTransport(sdk, { server, clock });
}
