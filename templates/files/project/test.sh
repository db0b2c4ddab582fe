[ "$(sh sum.sh 2 3)" = 5 ] || { echo "2 and 3 are $(sh sum.sh 2 3), and should be 5"; exit 1; }
echo passed
