import { MemoryFilesystem } from 'weakincentives';
import { describeFilesystem } from '../../../contract/filesystem.ts';

describeFilesystem('MemoryFilesystem', (setup) => ({ filesystem: new MemoryFilesystem(setup) }));

describeFilesystem('the view of a fork', (setup) => ({
  filesystem: new MemoryFilesystem(setup).fork().view,
}));

describeFilesystem('the view of a nested fork', async ({ files = {}, ...limits }) => {
  const outer = new MemoryFilesystem(limits).fork();
  for (const [path, data] of Object.entries(files)) await outer.view.write(path, data);
  return { filesystem: outer.fork().view };
});
