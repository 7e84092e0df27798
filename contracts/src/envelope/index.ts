export { withEnvelope, Place } from './enveloped.ts';
