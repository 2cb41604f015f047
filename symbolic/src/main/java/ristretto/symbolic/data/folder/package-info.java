/** Files in folders, one folder for each class. */
package ristretto.symbolic.data.folder;
