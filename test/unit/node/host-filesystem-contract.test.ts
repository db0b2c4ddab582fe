import { describeFilesystem } from '../../contract/filesystem.ts';
import { openHost, testFolders } from './host-workspace.ts';

describeFilesystem('HostFilesystem', async ({ files = {}, ...limits }) => ({
  filesystem: await openHost({ ...testFolders(files), ...limits }),
}));

describeFilesystem('the view of a fork of a folder', async ({ files = {}, ...limits }) => {
  const filesystem = await openHost({ ...testFolders(files), ...limits });
  return { filesystem: filesystem.fork().view };
});

describeFilesystem('the view of a nested fork of a folder', async ({ files = {}, ...limits }) => {
  const outer = (await openHost({ ...testFolders(), ...limits })).fork();
  for (const [path, data] of Object.entries(files)) await outer.view.write(path, data);
  return { filesystem: outer.fork().view };
});
