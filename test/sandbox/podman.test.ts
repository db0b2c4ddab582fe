import { afterAll } from 'vitest';
import { escapeSet } from './contract/escape-set.ts';
import { killContract } from './contract/kill-contract.ts';
import { sandboxContract } from './contract/sandbox-contract.ts';
import type { SandboxSubject } from './contract/sandbox-subject.ts';
import { shellContract } from './contract/shell-contract.ts';
import { busyboxImage } from './support/busybox-image.ts';

const image = await busyboxImage();
afterAll(() => image[Symbol.dispose]());

const podman: SandboxSubject = {
  name: 'podman',
  open: ({ limits } = {}) => image.open(limits === undefined ? {} : { limits }),
  isInterpreter: false,
  skip: image.skip,
};

sandboxContract(podman);
shellContract(podman);
escapeSet(podman);
killContract({ ...podman, kind: 'podman', options: image.options });
