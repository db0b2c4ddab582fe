/** The files that the runs of the cases begin with. A folder also has a mode and a link. */
export const startFiles: Readonly<Record<string, string>> = {
  'run.sh': '#!/bin/sh\necho run\n',
  'docs/a.md': 'a\n',
  'docs/deep/b.md': 'b\n',
  'kept.md': 'kept\n',
};
