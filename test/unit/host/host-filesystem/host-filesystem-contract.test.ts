import { describeFilesystem } from '../../../contract/filesystem.ts';
import { openHost, testFolders } from './host-workspace.ts';

describeFilesystem('HostFilesystem', async ({ files = {}, ...limits }) => ({
  filesystem: await openHost({ allowGitWrites: true, ...testFolders(files), ...limits }),
}));

describeFilesystem('the view of a fork of a folder', async ({ files = {}, ...limits }) => {
  const filesystem = await openHost({ allowGitWrites: true, ...testFolders(files), ...limits });
  return { filesystem: filesystem.fork().view };
});

describeFilesystem('the view of a nested fork of a folder', async ({ files = {}, ...limits }) => {
  const outer = (await openHost({ allowGitWrites: true, ...testFolders(), ...limits })).fork();
  for (const [path, data] of Object.entries(files)) await outer.view.write(path, data);
  return { filesystem: outer.fork().view };
});

describeFilesystem('HostFilesystem with changes held back', async ({ files = {}, ...limits }) => ({
  filesystem: await openHost({ allowGitWrites: true, ...testFolders(files), ...limits, writeOn: 'flush' }),
}));

describeFilesystem(
  'the view of a fork of a folder with changes held back',
  async ({ files = {}, ...limits }) => {
    const filesystem = await openHost({
      allowGitWrites: true,
      ...testFolders(),
      ...limits,
      writeOn: 'flush',
    });
    for (const [path, data] of Object.entries(files)) await filesystem.write(path, data);
    return { filesystem: filesystem.fork().view };
  },
);

describeFilesystem('HostFilesystem that is read only', async ({ files = {}, ...limits }) => ({
  filesystem: await openHost({ allowGitWrites: true, ...testFolders(files), ...limits, writeOn: 'never' }),
}));

describeFilesystem('HostFilesystem that leaves something out', async ({ files = {}, ...limits }) => {
  const folders = testFolders({ ...files, '.git/config': 'secret', 'left-out/HEAD': 'ref' });
  return {
    filesystem: await openHost({
      allowGitWrites: true,
      ...folders,
      ...limits,
      include: ['**'],
      exclude: ['**/.git', 'left-out'],
    }),
  };
});
