import { afterAll } from 'vitest';
import { sandboxContract } from './contract/sandbox-contract.ts';
import { busyboxImage } from './support/busybox-image.ts';

const image = await busyboxImage();
afterAll(() => image[Symbol.dispose]());

sandboxContract({
  name: 'podman',
  open: ({ limits } = {}) => image.open({ ...(limits === undefined ? {} : { limits }) }),
  isInterpreter: false,
  skip: image.skip,
});
