export { keepHistory } from './checkpoint-history.ts';
export { chooseFaults, parts } from './choose-faults.ts';
export { outcomeOf } from './deliver.ts';
export { flatnessOf, notFlat, slopeOf } from './flatness.ts';
export { openLedger } from './ledger.ts';
export { openLives, type Sample } from './lives.ts';
export { again } from './now-and-then.ts';
export { soakWish } from './options.ts';
export { partsOf } from './processes.ts';
export {
  caughtUp,
  checkpointsOnlyGrew,
  holdsAll,
  isWhatTheLogSays,
  livePositions,
  nothingIsParked,
} from './read-model-oracle.ts';
export { vendorOf } from './vendor.ts';
export { openWeather } from './weather.ts';
export { openWitness } from './witness.ts';
export { networks } from './world.ts';
