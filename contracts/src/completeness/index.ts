export { type Cell, cellLetters, type CellName, CELLS, lateAfterMs } from './cells.ts';
