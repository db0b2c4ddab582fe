import type { MountedServers } from './mcp-servers.ts';

/**
 * Prepares a command with servers, which end after what it has prepared, or when that fails.
 *
 * @throws what `prepare` throws.
 */
export async function preparedWithServers<Prepared extends { close(): Promise<void> }>(
  mounted: MountedServers,
  prepare: () => Promise<Prepared>,
): Promise<Prepared> {
  try {
    const preparation = await prepare();
    return {
      ...preparation,
      close: async () => {
        await preparation.close();
        await mounted.close();
      },
    };
  } catch (error) {
    await mounted.close();
    throw error;
  }
}
