// Package language keeps private jargon out of what users read. Start at Check: it
// returns every place of a tree where a word of dictionary.txt stands that has a standard
// term.
//
// A word that only this project uses has to be learnt before code can be read. The
// dictionary is data, so that a better term is one line.
package language
